/**
 * Detects the encoding of an uploaded file: UTF-8, UTF-16 with a byte order mark, or Windows-1252
 * (which contains Latin-1). Any other file is refused with the line, so that no replacement
 * character is stored.
 */
import type { TextEncodingName } from '#schemas/rest/email/contact-import.ts'
import { invalidField } from '../http/validation/invalid-field.ts'

export type DetectedEncoding =
  | { readonly encoding: TextEncodingName }
  | { readonly line: number; readonly rule: string }

/** Bytes without a character in Windows-1252. */
const unassigned = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])
const newline = 0x0a
/**
 * Bytes that are read before the event loop can run other work, theirs included: they may be a
 * thousand rows of CSV.
 */
const partBytes = 4 * 1024

/** Detects the encoding in one pass. `push` takes parts of any size. */
export class EncodingDetector {
  #start: number[] = []
  #line = 1
  #sequencesSeen = 0
  #badUtf8Line: number | undefined
  #unassignedLine: number | undefined
  #nulLine: number | undefined
  /** Bytes that the open UTF-8 sequence still needs, and the valid range of the next byte. */
  #open = 0
  #low = 0x80
  #high = 0xbf

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#start.length < 3) this.#start.push(byte)
      if (byte < 0x80) {
        if (this.#open > 0) this.#broken()
        if (byte === newline) this.#line += 1
        else if (byte === 0) this.#nulLine ??= this.#line
      } else {
        this.#high8(byte)
      }
    }
  }

  /** Call after the last byte. */
  end(): DetectedEncoding {
    const [first, second] = this.#start
    if (first === 0xff && second === 0xfe) return { encoding: 'utf-16le' }
    if (first === 0xfe && second === 0xff) return { encoding: 'utf-16be' }
    if (this.#nulLine !== undefined) {
      const rule =
        'contains a NUL byte: save the file as UTF-8, or as UTF-16 with a byte order mark'
      return { line: this.#nulLine, rule }
    }
    if (this.#open > 0) this.#broken()
    if (this.#badUtf8Line === undefined) return { encoding: 'utf-8' }
    const line = this.#badUtf8Line
    // Converting a file with some valid sequences from Windows-1252 would garble those.
    if (this.#sequencesSeen > 0) {
      return {
        line,
        rule: 'is not UTF-8, as the rest of the file is: save the whole file as UTF-8',
      }
    }
    if (this.#unassignedLine !== undefined) {
      const rule = 'is neither UTF-8 nor Windows-1252: save the file as UTF-8'
      return { line: this.#unassignedLine, rule }
    }
    return { encoding: 'windows-1252' }
  }

  #high8(byte: number): void {
    if (unassigned.has(byte)) this.#unassignedLine ??= this.#line
    if (this.#open > 0) {
      if (byte < this.#low || this.#high < byte) {
        this.#broken()
        this.#lead(byte)
        return
      }
      this.#low = 0x80
      this.#high = 0xbf
      this.#open -= 1
      if (this.#open === 0) this.#sequencesSeen += 1
      return
    }
    this.#lead(byte)
  }

  /** RFC 3629 §4 excludes overlong forms, surrogates and code points above U+10FFFF. */
  #lead(byte: number): void {
    this.#low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
    this.#high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
    if (0xc2 <= byte && byte <= 0xdf) this.#open = 1
    else if (0xe0 <= byte && byte <= 0xef) this.#open = 2
    else if (0xf0 <= byte && byte <= 0xf4) this.#open = 3
    else this.#broken()
  }

  #broken(): void {
    this.#open = 0
    this.#badUtf8Line ??= this.#line
  }
}

/** Reads the whole file in parts and lets other work of the process run in between. */
export async function detectEncoding(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<DetectedEncoding> {
  const detector = new EncodingDetector()
  for await (const bytes of inParts(file)) detector.push(bytes)
  return detector.end()
}

async function* inParts(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const bytes of file) {
    for (let start = 0; start < bytes.length; start += partBytes) {
      yield bytes.subarray(start, start + partBytes)
      await new Promise(setImmediate)
    }
  }
}

/**
 * Converts the file to UTF-8. Unpaired surrogates and a cut character at the end of UTF-16 become
 * replacement characters, for which readRows refuses the row.
 */
export async function* asUtf8(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: TextEncodingName,
): AsyncGenerator<Uint8Array> {
  if (encoding === 'utf-8') {
    yield* inParts(file)
    return
  }
  for await (const text of decoded(file, encoding)) {
    if (text !== '') yield Buffer.from(text, 'utf8')
  }
}

async function* decoded(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  encoding: TextEncodingName,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const bytes of inParts(file)) yield decoder.decode(bytes, { stream: true })
  yield decoder.decode()
}

/** Decodes a whole file. `field` names it in the error when its encoding is not known. */
export async function decodedText(file: Uint8Array, field: string): Promise<string> {
  const detected = await detectEncoding([file])
  if ('line' in detected) {
    throw invalidField(field, `cannot be read: line ${detected.line} ${detected.rule}`)
  }
  let text = ''
  for await (const part of decoded([file], detected.encoding)) text += part
  return text
}
