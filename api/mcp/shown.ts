/** Values of replies as tools return them: cleaned and cut, so that pages are bounded. */
import { cleanUntrusted, cutText } from '../briefs/untrusted-text.ts'

const textCharactersMax = 200

export function shown(text: string, charactersMax = textCharactersMax): string {
  // A huge text is cut before it is cleaned, because cleaning takes time.
  return cutText(cleanUntrusted(text.slice(0, 4 * charactersMax)), charactersMax)
}

export function shownOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : shown(text)
}

/** The first `count` names. */
export function shownList(texts: readonly string[], count: number): string[] {
  return texts.slice(0, count).map((text) => shown(text, 100))
}
