"""The window in which an environment shows its table to a person."""

from typing import TYPE_CHECKING

from bj_env.errors import RenderModeError

if TYPE_CHECKING:
    from pygame import Surface
    from pygame.time import Clock


class Window:
    """A window that opens with the first picture it shows; its copies, pickled ones too, are windows not yet open.

    A process has one window, as with Gymnasium's own environments: whoever shows a picture has it.
    """

    def __init__(self) -> None:
        self._clock: Clock | None = None

    def __reduce__(self) -> tuple[type["Window"], tuple[()]]:
        return Window, ()

    @property
    def is_open(self) -> bool:
        """Whether it has been opened, and not closed since."""
        return self._clock is not None

    def show(self, picture: "Surface", title: str, per_second: int) -> None:
        """Show a picture, no sooner than its turn among so many per second.

        Raises:
            RenderModeError: if there is no screen.
        """
        import pygame

        screen = pygame.display.get_surface()
        if self._clock is None or screen is None or screen.size != picture.size:
            screen = _opened(picture.size)
            self._clock = pygame.time.Clock()
        pygame.display.set_caption(title)
        screen.blit(picture, (0, 0))
        pygame.display.flip()
        pygame.event.pump()
        self._clock.tick(per_second)

    def close(self) -> None:
        """Close it; the next picture opens it again."""
        if self._clock is not None:
            import pygame

            pygame.display.quit()
        self._clock = None


def _opened(size: tuple[int, int]) -> "Surface":
    import pygame

    try:
        pygame.display.init()
        return pygame.display.set_mode(size)
    except pygame.error as error:
        raise RenderModeError(
            f"render_mode: 'human' takes a screen ({error}); else choose 'rgb_array', or set SDL_VIDEODRIVER=dummy"
        ) from None
