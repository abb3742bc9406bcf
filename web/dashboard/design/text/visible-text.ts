/**
 * Text of strangers with what cannot be seen made visible: control characters, and those that turn
 * the direction of the text around, so that a line reads as it is and not as its author wants.
 */

const hidden =
  /(?![\t\n\r])\p{Cc}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu
const unpaired = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

export function visibleText(text: string): string {
  return text.replace(hidden, escaped).replace(unpaired, escaped)
}

/** At most so many characters, with a mark where it was cut. */
export function shortText(text: string, max: number): string {
  const shown = text.length > max ? `${text.slice(0, max)}…` : text
  return visibleText(shown)
}

function escaped(character: string): string {
  return `⟨U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`
}
