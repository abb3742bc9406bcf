/**
 * Lists of frames of which all are shared. Events that send the same stack trace get the same list,
 * so what is made of a whole stack is made once, too.
 */
import type { StoredFrame } from '../stored-event.ts'
import type { ReadFrame, SharedFrame } from './shared-frame.ts'

/**
 * Characters of JSON of all lists that are kept. What grouping and the rows keep of a list is
 * smaller than its text. An ordinary stack has 10,000 to 50,000 characters, a hostile one a
 * million.
 */
const charactersMax = 32 * 1024 * 1024
const stacks = new Map<string, readonly StoredFrame[]>()
let characters = 0

/** The texts of lists in the payload, as `JSON.stringify` writes them. */
const texts = new WeakMap<readonly StoredFrame[], string>()

/** The list of these frames; frozen, as a sign that it is shared. */
export function sharedStack(
  platform: string,
  shared: readonly SharedFrame[],
  read: readonly ReadFrame[],
): readonly StoredFrame[] {
  let key = platform
  for (const { id } of shared) key += ` ${id}`
  const known = stacks.get(key)
  if (known !== undefined) return known
  const frames = Object.freeze(read.map(({ frame }) => frame))
  const text = `[${read.map((one) => one.text).join()}]`
  texts.set(frames, text)
  characters += key.length + text.length
  if (characters > charactersMax) {
    stacks.clear()
    characters = key.length + text.length
  }
  stacks.set(key, frames)
  return frames
}

/** Undefined for a list of which no text is known. */
export function stackText(frames: readonly StoredFrame[]): string | undefined {
  return texts.get(frames)
}

/** Sets the text of a list that is not shared itself, but has frames that are. */
export function keepStackText(frames: readonly StoredFrame[], text: string): void {
  texts.set(frames, text)
}

/**
 * Computes something of a list of frames, once for a shared list.
 *
 * @param compute may read, besides the frames, what is the same for all events of one platform.
 */
export function oncePerStack<Frames extends readonly object[], Rest extends unknown[], Result>(
  compute: (frames: Frames, ...rest: Rest) => Result,
): (frames: Frames, ...rest: Rest) => Result {
  const known = new WeakMap<Frames, Result>()
  return (frames, ...rest) => {
    if (!Object.isFrozen(frames)) return compute(frames, ...rest)
    let result = known.get(frames)
    if (result === undefined) {
      result = compute(frames, ...rest)
      known.set(frames, result)
    }
    return result
  }
}
