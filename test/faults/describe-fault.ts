/** Faults as people read them in a schedule. */
import { formatFailpoints } from '#platform/failpoint.ts'
import type { LinkTrouble } from './flaky-link.ts'
import type { Fault } from './plan-faults.ts'

/** The fault as one line of the report. */
export function describeFault(fault: Fault): string {
  const at = `${String(fault.atMs).padStart(5)} ms`
  switch (fault.kind) {
    case 'kill':
      return `${at}  kill ${fault.target}, down for ${fault.downMs} ms`
    case 'pause':
      return `${at}  pause ${fault.target} for ${fault.forMs} ms`
    case 'restart':
      return `${at}  restart ${fault.target}`
    case 'failpoint':
      return `${at}  restart ${fault.target} with ${formatFailpoints([fault.point])}, ${fault.forMs} ms`
    case 'alert_failpoint':
      return `${at}  restart ${fault.target} alone with ${formatFailpoints([fault.point])}, ${fault.forMs} ms`
    case 'link':
      return `${at}  ${fault.from} → ${fault.to}: ${describeTrouble(fault.trouble)} for ${fault.forMs} ms`
    case 'forget':
      return `${at}  the broker forgets up to ${fault.messages} messages`
    case 'rewind':
      return `${at}  the broker loses what it takes within ${fault.forMs} ms`
    case 'lose_stream':
      return `${at}  the broker loses its stream`
    case 'receiver':
      return `${at}  the receiver of webhooks is away for ${fault.forMs} ms`
    case 'restore_postgres':
      return `${at}  Postgres is copied, and put back ${fault.forMs} ms after further commits${fault.workersAreKilled ? ' while the workers are down' : ''}`
    case 'lose_planned':
      return `${at}  both workers die at ${fault.at}, the broker loses its stream, one undoes it with ${formatFailpoints([fault.undoing])}, ${fault.forMs} ms`
  }
}

function describeTrouble(trouble: LinkTrouble): string {
  if (trouble.kind === 'latency') return `latency of ${trouble.ms} ms`
  if (trouble.kind === 'cut') return `cut after ${trouble.afterBytes} bytes`
  return trouble.kind.replace('_', ' ')
}
