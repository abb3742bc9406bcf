/** Parts of events for tests. */
import type { EventException, EventFrame } from './read-event.ts'

export function sampleFrame(given: Partial<EventFrame> = {}): EventFrame {
  return {
    function: 'run',
    file: 'src/run.ts',
    path: undefined,
    module: undefined,
    line: 1,
    column: undefined,
    inApp: undefined,
    address: undefined,
    source: [],
    variables: {},
    facts: {},
    ...given,
  }
}

export function sampleException(given: Partial<EventException> = {}): EventException {
  return {
    type: 'Error',
    value: 'it failed',
    module: undefined,
    mechanism: {},
    isHandled: undefined,
    stack: undefined,
    rawStack: undefined,
    lengthSent: undefined,
    ...given,
  }
}
