/**
 * Marks texts that were cut, in the form in which SDKs mark what they cut themselves: below the
 * path of the value, `""` holds its remarks and its length before the cut.
 */
import type { JsonValue, StoredData } from './bound-value.ts'
import { readObject } from './read-value.ts'

export interface CutText {
  readonly path: readonly string[]
  /** Characters that were sent, and that are kept. */
  readonly length: number
  readonly kept: number
}

/** Adds the text at `path` if it is too long. */
export function noteCutText(
  cutTexts: CutText[],
  path: readonly string[],
  text: unknown,
  charactersMax: number,
): void {
  if (typeof text !== 'string' || text.length <= charactersMax) return
  const { length } = text.trim()
  if (length > charactersMax) cutTexts.push({ path, length, kept: charactersMax })
}

/** The remarks of the client, with those about texts that were cut here. */
export function withCutTexts(
  meta: StoredData | undefined,
  cutTexts: readonly CutText[],
): StoredData | undefined {
  return cutTexts.reduce<StoredData | undefined>(
    (marked, cut) => withMark(marked ?? {}, cut.path, cut),
    meta,
  )
}

function withMark(node: StoredData, path: readonly string[], cut: CutText): StoredData {
  const [name, ...below] = path
  if (name === undefined) return { ...node, '': remarkOf(readData(node['']), cut) }
  return { ...node, [name]: withMark(readData(node[name]), below, cut) }
}

/** If the client had cut the text before, its length is the one that the program had. */
function remarkOf({ len, rem, ...others }: StoredData, { length, kept }: CutText): StoredData {
  const own: JsonValue = ['!limit', 's', kept - 1, kept]
  return {
    ...others,
    len: typeof len === 'number' ? Math.max(len, length) : length,
    rem: Array.isArray(rem) ? [...(rem as readonly JsonValue[]), own] : [own],
  }
}

function readData(value: JsonValue | undefined): StoredData {
  return (readObject(value) ?? {}) as StoredData
}
