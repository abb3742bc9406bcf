/**
 * The two halves of an advice: what is wrong, and what to do. They are parted by the first colon
 * that is outside of parentheses, because those quote reasons of processes.
 */
export function splitAdvice(text: string): { readonly text: string; readonly action: string } {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at]
    if (character === '(') depth += 1
    else if (character === ')') depth = Math.max(0, depth - 1)
    else if (character === ':' && text[at + 1] === ' ' && depth === 0) {
      return { text: `${text.slice(0, at)}.`, action: sentence(text.slice(at + 2)) }
    }
  }
  return { text, action: '' }
}

function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
