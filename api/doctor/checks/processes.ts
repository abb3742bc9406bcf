/** Whether the processes that are known here answer and are ready. */
import { targetsMax } from '../../operation/processes/resolve-targets.ts'
import { type Scrape, scrape } from '../../operation/processes/scrape.ts'
import type { Check } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'

const processes = of('processes')
const repair = 'Repair what it names. The process resumes by itself.'

export const processesCheck: Check = {
  group: 'processes',
  run: async ({ settings, clock }) => {
    const targets = settings.targets.slice(0, targetsMax)
    if (targets.length === 0) {
      return [processes.skipped('all', 'SLUICE_METRICS_URLS names no process.')]
    }
    const scrapes = await Promise.all(
      targets.map((target) => scrape(target, () => clock.monotonicMs())),
    )
    return scrapes.map(processFinding)
  },
}

export function processFinding({ target, metrics, readiness, error }: Scrape): Finding {
  const { name, metricsUrl } = target
  if (metrics === undefined) {
    return processes.problem(
      name,
      `${name} does not answer at ${metricsUrl}: ${error}.`,
      'Restart it, and read the end of its log.',
    )
  }
  if (readiness.state === 'unknown') {
    return processes.warning(
      name,
      `${name} does not say whether it is ready: ${readiness.reason}.`,
      'Look at its log.',
    )
  }
  if (metrics.get('ingest_broker_away')?.[0]?.value === 1) {
    return processes.problem(
      name,
      `${name} cannot store its frames in NATS, and keeps events in its write-ahead log.`,
      'Read frame_refused in its log. If NATS was away, start it; if its disk was full, free it and restart NATS.',
    )
  }
  const why = readiness.reasons.join('; ').replace(/\.$/, '')
  if (readiness.state === 'ready') {
    if (why === '') return processes.ok(name, `${name} is ready.`)
    return processes.problem(name, `${name} is ready, but lacks ${why}.`, repair)
  }
  return processes.problem(name, `${name} is not ready: ${why || 'it names no reason'}.`, repair)
}
