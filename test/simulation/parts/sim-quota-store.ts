import type { QuotaStore } from '../../../ingest/quota/quota-store.ts'
import type { Timeline } from '../timeline.ts'
import type { SimLink } from './sim-link.ts'
import type { SimProcess } from './sim-process.ts'
import type { SimQuota } from './sim-quota.ts'

/** The tables of `SimQuota` as one process reaches them. Postgres goes by its own clock, which nobody sets. */
export function simQuotaStore(
  process: SimProcess,
  link: SimLink,
  { quota, timeline }: { quota: SimQuota; timeline: Timeline },
): QuotaStore {
  return {
    grant: (bootId, requests) => {
      const what = requests.map(({ requestNo, projectId, unitsNeeded, unitsWanted }) => {
        return `#${requestNo} ${unitsNeeded}..${unitsWanted} of ${projectId}`
      })
      return link.call(process, `grant ${what.join(', ')}`, () => {
        const grants = quota.grant(bootId, requests, timeline.nowMs)
        for (const { leaseNo, units } of grants) {
          timeline.note(`postgres: lease ${leaseNo} has ${units} units`)
        }
        return grants
      })
    },
    giveBack: (bootId, returns) => {
      const what = returns.map(({ leaseNo, charged }) => `lease ${leaseNo} at ${charged}`)
      return link.call(process, `give back ${what.join(', ')}`, () =>
        quota.giveBack(bootId, returns),
      )
    },
    grantMinutes: (requests) =>
      link.call(process, `grant minutes to ${requests.length}`, () =>
        quota.grantMinutes(requests, timeline.nowMs),
      ),
    forget: () => link.call(process, 'forget what is done', () => undefined),
    touchBoot: (bootId) =>
      link.call(process, 'touch its boot', () => quota.touchBoot(bootId, timeline.nowMs)),
    settleBoot: (bootId) =>
      link.call(process, `settle ${bootId}`, () => quota.settleBoot(bootId, timeline.nowMs)),
  }
}
