/** Replaces the measured part of a results page and keeps its text. */
export const resultsBegin = '<!-- measured: begin -->'
export const resultsEnd = '<!-- measured: end -->'

const columnsMax = 100

/** Throws if the page lacks the markers of the measured part. */
export function withResults(page: string, markdown: string): string {
  const begin = page.indexOf(resultsBegin)
  const end = page.indexOf(resultsEnd)
  if (begin === -1 || end < begin) {
    throw new Error(
      `the page must contain the lines ${resultsBegin} and ${resultsEnd}, in this order`,
    )
  }
  return `${page.slice(0, begin + resultsBegin.length)}\n\n${wrapProse(markdown.trim())}\n\n${page.slice(end)}`
}

/** Breaks long lines at spaces, except those of tables, which must stay whole. */
function wrapProse(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) => (line.startsWith('|') ? line : wrapLine(line)))
    .join('\n')
}

function wrapLine(line: string): string {
  const lines = ['']
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!
    if (last !== '' && last.length + 1 + word.length > columnsMax) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines.join('\n')
}
