import type { QuotaStore } from '../../../ingest/quota/quota-store.ts'
import type { Timeline } from '../timeline.ts'
import type { SimLink } from './sim-link.ts'
import type { SimProcess } from './sim-process.ts'
import type { SimQuota } from './sim-quota.ts'

/**
 * The tables of `SimQuota` from the view of one process. Postgres uses its own clock, which never
 * jumps.
 */
export function simQuotaStore(
  process: SimProcess,
  link: SimLink,
  { quota, timeline }: { quota: SimQuota; timeline: Timeline },
): QuotaStore {
  return {
    grant: (instanceId, requests) => {
      const what = requests.map(({ requestNo, projectId, unitsNeeded, unitsWanted }) => {
        return `#${requestNo} ${unitsNeeded}..${unitsWanted} of ${projectId}`
      })
      return link.call(process, `grant ${what.join(', ')}`, () => {
        const grants = quota.grant(instanceId, requests, timeline.nowMs)
        for (const { leaseNo, units } of grants) {
          timeline.note(`postgres: lease ${leaseNo} has ${units} units`)
        }
        return grants
      })
    },
    giveBack: (instanceId, returns) => {
      const what = returns.map(({ leaseNo, charged }) => `lease ${leaseNo} at ${charged}`)
      return link.call(process, `give back ${what.join(', ')}`, () =>
        quota.giveBack(instanceId, returns),
      )
    },
    grantMinutes: (requests) =>
      link.call(process, `grant minutes to ${requests.length}`, () =>
        quota.grantMinutes(requests, timeline.nowMs),
      ),
    deleteOld: () => link.call(process, 'purge old rows', () => undefined),
    touchInstance: (instanceId) =>
      link.call(process, 'touch the instance', () =>
        quota.touchInstance(instanceId, timeline.nowMs),
      ),
    settleInstance: (instanceId) =>
      link.call(process, `settle ${instanceId}`, () =>
        quota.settleInstance(instanceId, timeline.nowMs),
      ),
  }
}
