/** Replaces the measured part of a results page and keeps its text. */
export const resultsBegin = '<!-- measured: begin -->'
export const resultsEnd = '<!-- measured: end -->'

/** Throws if the page lacks the markers of the measured part. */
export function withResults(page: string, markdown: string): string {
  const begin = page.indexOf(resultsBegin)
  const end = page.indexOf(resultsEnd)
  if (begin === -1 || end < begin) {
    throw new Error(
      `the page must contain the lines ${resultsBegin} and ${resultsEnd}, in this order`,
    )
  }
  return `${page.slice(0, begin + resultsBegin.length)}\n\n${markdown.trim()}\n\n${page.slice(end)}`
}
