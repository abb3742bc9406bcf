/**
 * Replaces JSON bodies (and dictionaries as Python prints them) in a message by `<json>`, with the
 * error code that the body names: `{"error":"invalid_grant","id":12}` becomes
 * `<json error=invalid_grant>`. When the whole message is one body, as structured logs write it,
 * its message is kept too. Part of g1.
 */

/** An object with a quoted key, or a list of such objects; the quotes may be escaped. */
const bodyStart = /\[?\s{0,64}\{\s{0,64}\\?(?:"[^"\n]*"|'[^'\n]*')\s{0,8}:/y

const codeFields =
  /["'](code|error|error_code|errorCode|error_type|errorType|errno|err|reason|sqlState|status|statusCode|status_code|type|__type)\\?["']\s{0,8}:\s{0,8}(?:\\?["']([A-Za-z][A-Za-z0-9_.#-]{0,63})\\?["']|(-?\d{1,5}))(?=\s{0,8}[,}\]]|$)/g
const messageField = /["'](?:message|msg)["']\s{0,8}:\s{0,8}"((?:[^"\\\n]|\\.){1,512})"/

const codesMax = 3

export function replaceJsonBodies(text: string, onReplace: () => void): string {
  return mapBodies(text, (body, isWhole) => {
    onReplace()
    return `<json${codesOf(body)}>${isWhole ? messageOf(body) : ''}`
  })
}

/** Writes each body on one line. */
export function joinJsonBodies(text: string): string {
  return mapBodies(text, (body) => body.replace(/[\r\n]+/g, ' '))
}

function mapBodies(text: string, change: (body: string, isWhole: boolean) => string): string {
  let out = ''
  let copied = 0
  for (let at = nextBrace(text, 0); at !== -1; at = nextBrace(text, at)) {
    bodyStart.lastIndex = at
    if (!bodyStart.test(text)) {
      at = text.indexOf('{', at) + 1
      continue
    }
    const end = endOfBody(text, at)
    const isWhole = text.slice(0, at).trim() === '' && text.slice(end).trim() === ''
    out += text.slice(copied, at) + change(text.slice(at, end), isWhole)
    copied = end
    at = end
  }
  return copied === 0 ? text : out + text.slice(copied)
}

function nextBrace(text: string, from: number): number {
  const brace = text.indexOf('{', from)
  if (brace === -1) return -1
  // A list of objects begins at its bracket.
  let start = brace
  while (start > from && brace - start < 64 && isBlank(text.charCodeAt(start - 1))) start--
  return start > from && text[start - 1] === '[' ? start - 1 : brace
}

function isBlank(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x09 || unit === 0x0d
}

/** The end of the text when the body is cut off. */
export function endOfBody(text: string, start: number): number {
  let depth = 0
  let quote = ''
  for (let index = start; index < text.length; index++) {
    const char = text[index]!
    if (quote !== '') {
      if (char === '\\') index++
      else if (char === quote) quote = ''
    } else if (char === '"') quote = char
    else if (char === "'" && !isAlphabetic(text.charCodeAt(index - 1))) quote = char
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return index + 1
    else if (char === '\\') index++
  }
  return text.length
}

function isAlphabetic(unit: number): boolean {
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a)
}

function codesOf(body: string): string {
  const codes = new Set<string>()
  for (const [, name, word, digits] of body.matchAll(codeFields)) {
    if (codes.size >= codesMax) break
    codes.add(` ${name}=${word ?? digits}`)
  }
  return [...codes].sort().join('')
}

function messageOf(body: string): string {
  const message = messageField.exec(body)?.[1]
  return message === undefined ? '' : ` ${message.replaceAll('\\"', '"')}`
}
