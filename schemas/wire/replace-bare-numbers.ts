const bareNumber = /-?(?:NaN|Infinity)(?![\w.])/y

/**
 * Replaces each `NaN`, `Infinity` and `-Infinity` outside of strings by `null`. Very old Python
 * clients write them, and they are not JSON. Written by hand, because a pattern that also skips
 * strings takes quadratic time on an unclosed one.
 */
export function replaceBareNumbers(text: string): string {
  let written = ''
  let copied = 0
  let at = 0
  while (at < text.length) {
    const character = text[at]
    if (character === '"') {
      at += 1
      while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
      at += 1
      continue
    }
    if (character === 'N' || character === 'I' || character === '-') {
      bareNumber.lastIndex = at
      if (bareNumber.test(text)) {
        written += `${text.slice(copied, at)}null`
        at = bareNumber.lastIndex
        copied = at
        continue
      }
    }
    at += 1
  }
  return written + text.slice(copied)
}
