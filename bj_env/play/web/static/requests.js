// Requests to the server, and which of their answers count.

export async function ask(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, body ? post : {});
  } catch {
    throw new Error("the table does not answer: is 'bj table' still running?");
  }
  const came = await answer.json();
  if (answer.status === 409) return { ...came.state, stale: came.error }; // another click or page was first
  if (!answer.ok) throw Object.assign(new Error(came.error), { status: answer.status });
  return came;
}

// Returns a function that lets only the answer to the newest question through: an older one, or its error, never
// arrives. Without a question it drops the answer that is on its way.
export function newestOnly() {
  let newest = 0;
  return (answer) => {
    const number = ++newest;
    return new Promise((resolve, reject) => {
      const unlessOld = (settle) => (came) => { if (number === newest) settle(came); };
      answer?.then(unlessOld(resolve), unlessOld(reject));
    });
  };
}
