/**
 * Tells ids from words: a run of characters and digits is an id when it looks random. Real words,
 * names of techniques (`sha256`, `Http2Server`) and error codes (`E11000`, `P2002`, `42P01`) have
 * their digits in one place. A ULID, an id of Stripe and the like are all of the kind `id`. Part
 * of g1.
 */

export type IdKind = '' | 'sha1' | 'md5' | 'hex' | 'id'

interface Shape {
  readonly digits: number
  readonly lower: number
  readonly upper: number
  /** Has no character beyond `f`. */
  readonly isHex: boolean
  /** Changes between lower case, upper case and digits. */
  readonly changes: number
  /** Runs of digits. */
  readonly digitRuns: number
}

/** `before` is the character before the word. The word has at least one digit. */
export function idKindOf(word: string, before: string): IdKind {
  const shape = shapeOf(word)
  const { digits, lower, upper, isHex, changes, digitRuns } = shape
  const { length } = word
  if (digits === 0 || digits === length) return ''
  if (isHex && (length === 40 || length === 32)) return length === 40 ? 'sha1' : 'md5'
  const isOneCase = lower === 0 || upper === 0
  if (isHex && isOneCase && isHexId(word, shape, before)) return 'hex'
  // `cus_9s6XKzkNRiz8i3`: what follows a prefix is an id sooner than a word alone is.
  if (before === '_' && length >= 8 && changes >= 4 && (digitRuns >= 2 || !isOneCase)) {
    return 'id'
  }
  if (isOneCase) return length >= 16 && changes >= 5 ? 'id' : ''
  if (length >= 20 && digits >= 3) return 'id'
  return length >= 10 && digitRuns >= 2 && changes * 5 >= length * 2 ? 'id' : ''
}

/** Short ones need digits and other characters that alternate, or they may be a word or a code. */
function isHexId(word: string, { upper, changes, lower }: Shape, before: string): boolean {
  const { length } = word
  if (length >= 8) return true
  // Java writes the hash of an object in as many digits as it has.
  if (before === '@') return true
  if (length === 7) return lower > 0 || changes >= 2
  if (/^\d+e\d+$/.test(word) || word.startsWith('d3d')) return false
  if (length === 6) return lower > 0 || changes >= 2
  return length >= 4 && upper === 0 && changes >= 2
}

function shapeOf(word: string): Shape {
  let digits = 0
  let lower = 0
  let upper = 0
  let isHex = true
  let changes = 0
  let digitRuns = 0
  let last = ''
  for (let index = 0; index < word.length; index++) {
    const unit = word.charCodeAt(index)
    let now: string
    if (unit <= 0x39) {
      now = 'digit'
      digits++
      if (last !== now) digitRuns++
    } else if (unit <= 0x5a) {
      now = 'upper'
      upper++
      if (unit > 0x46) isHex = false
    } else {
      now = 'lower'
      lower++
      if (unit > 0x66) isHex = false
    }
    if (last !== now && last !== '') changes++
    last = now
  }
  return { digits, lower, upper, isHex, changes, digitRuns }
}

/** 21 characters, some may be `-` and `_`; names of headers and the like have few digits. */
export function isNanoId(text: string): boolean {
  let changes = 0
  for (let index = 1; index < text.length; index++) {
    if (isOddChange(text.charCodeAt(index - 1), text.charCodeAt(index))) changes++
  }
  return changes >= 6
}

/** Between digits and the rest, and from lower to upper case; words begin with upper case. */
function isOddChange(before: number, unit: number): boolean {
  if (before === 0x2d || before === 0x5f || unit === 0x2d || unit === 0x5f) return false
  const wasDigit = before <= 0x39
  const isDigit = unit <= 0x39
  return wasDigit !== isDigit || (before > 0x5f && unit < 0x5f && !isDigit)
}
