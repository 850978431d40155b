"""Pictures of a table: text, pygame, SVG cards and chips, notebooks."""
