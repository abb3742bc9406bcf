import { decode, delimiterOf, type FileHead } from './read-head.ts'

const address = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/
const firstLineBytesMax = 64 * 1024

/** Names for the columns of a list whose first line is a contact; undefined if it names them. */
export function missingNames({ columns, isJson }: FileHead): string[] | undefined {
  const email = columns.findIndex((column) => address.test(column))
  if (isJson || email === -1) return undefined
  return columns.map((_, index) => (index === email ? 'email' : `column ${index + 1}`))
}

/** The same list below a line with the names, with the encoding and delimiter of the file. */
export async function addColumnNames(file: File, names: readonly string[]): Promise<File> {
  const bytes = new Uint8Array(await file.slice(0, firstLineBytesMax).arrayBuffer())
  const text = decode(bytes, file.size <= firstLineBytesMax)
  const line = `${names.join(delimiterOf(text.slice(0, text.search(/[\r\n]|$/))))}\n`
  const [mark, encoded] = inEncodingOf(bytes, line)
  const parts = [mark, encoded, file.slice(mark.length)] as BlobPart[]
  return new File(parts, file.name, { type: file.type })
}

/** The byte order mark of the file, and the line in its encoding. */
function inEncodingOf(bytes: Uint8Array, line: string): [mark: Uint8Array, line: Uint8Array] {
  const [first, second, third] = bytes
  const isLittle = first === 0xff && second === 0xfe
  if (isLittle || (first === 0xfe && second === 0xff)) {
    const units = [...line].flatMap((character) => {
      const code = character.charCodeAt(0)
      return isLittle ? [code & 0xff, code >> 8] : [code >> 8, code & 0xff]
    })
    return [bytes.slice(0, 2), Uint8Array.from(units)]
  }
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf
  return [bytes.slice(0, hasMark ? 3 : 0), new TextEncoder().encode(line)]
}
