/** A stack trace as text, as its language prints it, to read, search and copy. */
import type { EventException, EventFrame, EventStack } from './read-event.ts'

export function rawTrace(exceptions: readonly EventException[], platform: string): string {
  const isPython = platform === 'python'
  const ordered = isPython ? exceptions : exceptions.toReversed()
  return ordered
    .map((exception, index) => {
      const heading = headingOf(exception)
      if (isPython) {
        const frames = exception.stack?.frames.toReversed().map(pythonFrame) ?? []
        const head = frames.length === 0 ? [] : ['Traceback (most recent call last):']
        return [...head, ...frames, heading].join('\n')
      }
      const cause = index === 0 ? heading : `Caused by: ${heading}`
      return [cause, rawStack(exception.stack)].filter((text) => text !== '').join('\n')
    })
    .join('\n\n')
}

export function rawStack(stack: EventStack | undefined): string {
  if (stack === undefined) return ''
  const { frames, omitted, omittedAfter } = stack
  const lines = frames.map((frame) => `    at ${placeOf(frame)}`)
  if (omitted > 0) lines.splice(omittedAfter, 0, `    … ${omitted} more frames`)
  return lines.join('\n')
}

export function headingOf({ type, value }: EventException): string {
  return value === '' ? type : `${type}: ${value}`
}

/** `placeOrder (src/orders.ts:12:5)` */
export function placeOf(frame: EventFrame): string {
  const at = [frame.file ?? frame.module ?? frame.address, frame.line, frame.column]
    .filter((part) => part !== undefined)
    .join(':')
  const name = frame.function ?? '<unknown>'
  return at === '' ? name : `${name} (${at})`
}

function pythonFrame(frame: EventFrame): string {
  const { file = '?', line = '?', function: name = '?' } = frame
  const source = frame.source.find(({ isCurrent }) => isCurrent)?.text.trim()
  return `  File "${file}", line ${line}, in ${name}${source ? `\n    ${source}` : ''}`
}
