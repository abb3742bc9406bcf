/**
 * Encodes header fields (RFC 5322, RFC 2047) from text to ASCII lines. Control characters become
 * spaces first, so no value can begin another field.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for.
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g
const ascii = /^[\x20-\x7e]*$/
const phraseAtoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]*$/
const lineCharactersMax = 76
const longWordCharacters = 500
const longWord = /\S{500}/
/** Bytes in one encoded word: 75 characters less 12 of syntax hold 15 groups of 3 bytes. */
const wordBytesMax = 45

export interface Mailbox {
  readonly address: string
  readonly name?: string | null | undefined
}

/** Encodes unstructured text, such as a subject. */
export function encodeText(text: string): string {
  const line = text.replace(controls, ' ').trim()
  return isPlain(line) ? line : encodedWords(line)
}

export function encodeMailbox({ address, name }: Mailbox): string {
  const phrase = encodePhrase(name ?? '')
  return phrase === '' ? asAddress(address) : `${phrase} <${asAddress(address)}>`
}

/** Encodes the display name before an address in angle brackets. */
export function encodePhrase(name: string): string {
  const phrase = name.replace(controls, ' ').trim()
  if (!isPlain(phrase)) return encodedWords(phrase)
  return phraseAtoms.test(phrase) ? phrase : `"${phrase.replace(/["\\]/g, '\\$&')}"`
}

/** Throws on an address that could end the field. Stored addresses are validated already. */
export function asAddress(address: string): string {
  if (!/^[^\s<>()[\],;:\\"]+@[^\s<>()[\],;:\\"@]+$/.test(address) || !ascii.test(address)) {
    throw new Error('the address is invalid in a header field')
  }
  return address
}

/** `Name: value` and CR LF, folded at spaces when it is longer than 76 characters. */
export function headerLine(name: string, value: string): string {
  const line = `${name}: ${value}`
  if (line.length <= lineCharactersMax) return `${line}\r\n`
  const lines: string[] = []
  let current = `${name}:`
  for (const word of value.split(' ')) {
    if (current.length + 1 + word.length > lineCharactersMax && current.trim() !== `${name}:`) {
      lines.push(current)
      current = ` ${word}`
    } else current += ` ${word}`
  }
  lines.push(current)
  // Relays may strip spaces at the end of a line.
  return `${lines.map((one) => one.trimEnd()).join('\r\n')}\r\n`
}

/** Text with `=?` would be decoded as an encoded word, and a very long word cannot be folded. */
function isPlain(line: string): boolean {
  if (!ascii.test(line) || line.includes('=?')) return false
  return line.length < longWordCharacters || !longWord.test(line)
}

function encodedWords(text: string): string {
  const words: string[] = []
  let bytes: number[] = []
  for (const character of text.toWellFormed()) {
    const added = Buffer.from(character)
    // An encoded word must contain whole characters (RFC 2047 §5).
    if (bytes.length + added.length > wordBytesMax) {
      words.push(encodedWord(bytes))
      bytes = []
    }
    bytes.push(...added)
  }
  words.push(encodedWord(bytes))
  return words.join(' ')
}

function encodedWord(bytes: readonly number[]): string {
  return `=?UTF-8?B?${Buffer.from(bytes).toString('base64')}?=`
}
