/** Replaces the measured part of a results page and leaves its words alone. */
export const resultsBegin = '<!-- measured: begin -->'
export const resultsEnd = '<!-- measured: end -->'

/** Throws when the page has no place for the measurements. */
export function withResults(page: string, markdown: string): string {
  const begin = page.indexOf(resultsBegin)
  const end = page.indexOf(resultsEnd)
  if (begin === -1 || end < begin) {
    throw new Error(`the page needs the lines ${resultsBegin} and ${resultsEnd}, in this order`)
  }
  return `${page.slice(0, begin + resultsBegin.length)}\n\n${markdown.trim()}\n\n${page.slice(end)}`
}
