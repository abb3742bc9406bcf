/** Applies a fault of a scenario and ends it after its duration. */

import { noBrokerTrouble, type SimBroker } from './parts/sim-broker.ts'
import type { SimDisk } from './parts/sim-disk.ts'
import type { SimLink } from './parts/sim-link.ts'
import type { SimLocks } from './parts/sim-locks.ts'
import type { WallClock } from './parts/sim-process.ts'
import type { Service, Slot } from './parts/slot.ts'
import type { Traps } from './parts/traps.ts'
import type { Fault, Store } from './plan-faults.ts'
import type { Timeline } from './timeline.ts'

export interface FaultTargets {
  readonly timeline: Timeline
  readonly ingests: readonly Slot<Service>[]
  readonly workers: readonly Slot<Service>[]
  readonly broker: SimBroker
  readonly links: Readonly<Record<Store, SimLink>>
  readonly locks: SimLocks
  readonly disk: SimDisk
  readonly wall: WallClock
  readonly traps: Traps
  setDigestDeaths(share: number): void
  changeLimit(projectId: number, limit: number): void
  setRefusesAll(store: Store, refusesAll: boolean): void
}

export function applyFault(targets: FaultTargets, fault: Fault): void {
  const { timeline, broker, links, locks, disk, wall } = targets
  timeline.note(`fault: ${JSON.stringify(fault)}`)
  const endAfter = (ms: number, end: () => void) => timeline.after(ms, end)
  switch (fault.kind) {
    case 'kill_ingest':
      targets.ingests[fault.index]?.kill(fault.downMs)
      return
    case 'kill_worker':
      targets.workers[fault.index]?.kill(fault.downMs)
      return
    case 'drain_ingest':
      targets.ingests[fault.index]?.replace(fault.downMs)
      return
    case 'stop_worker':
      targets.workers[fault.index]?.replace(fault.downMs)
      return
    case 'pause_ingest':
    case 'pause_worker': {
      const slots = fault.kind === 'pause_ingest' ? targets.ingests : targets.workers
      const process = slots[fault.index]?.current.process
      process?.pause()
      endAfter(fault.ms, () => process?.resume())
      return
    }
    case 'broker_hangs':
      broker.trouble.hangs = true
      endAfter(fault.ms, () => broker.resume())
      return
    case 'broker_without_leader':
      broker.trouble.hasNoLeader = true
      endAfter(fault.ms, () => {
        broker.trouble.hasNoLeader = false
      })
      return
    case 'broker_crashes':
      broker.crash()
      for (const stream of broker.streams) {
        broker.forgetTail(stream, fault.forgets, fault.ids !== 'all forgotten')
      }
      if (fault.ids === 'all forgotten') broker.forgetIds()
      endAfter(fault.ms, () => broker.restart())
      return
    case 'stream_recreated':
      for (const stream of broker.streams) broker.recreate(stream)
      for (const connection of broker.connections) connection.cut()
      return
    case 'connections_cut':
      for (const connection of broker.connections) connection.cut()
      return
    case 'bad_acks':
      Object.assign(broker.trouble, {
        lostAckShare: fault.lostShare,
        lateAckShare: fault.lateShare,
        lateAckMs: fault.lateMs,
        lostMessageShare: fault.lostMessageShare,
      })
      endAfter(fault.ms, () => {
        const { lostAckShare, lateAckShare, lateAckMs, lostMessageShare } = noBrokerTrouble
        Object.assign(broker.trouble, { lostAckShare, lateAckShare, lateAckMs, lostMessageShare })
      })
      return
    case 'stream_full':
      broker.limitTo(fault.room)
      endAfter(fault.ms, () => {
        broker.messagesMax = Number.POSITIVE_INFINITY
      })
      return
    case 'store_down':
      links[fault.store].trouble.isDown = true
      if (fault.store === 'postgres') locks.endAll()
      endAfter(fault.ms, () => links[fault.store].heal())
      return
    case 'store_hangs':
      links[fault.store].trouble.hangs = true
      endAfter(fault.ms, () => links[fault.store].heal())
      return
    case 'store_refuses_all':
      targets.setRefusesAll(fault.store, true)
      endAfter(fault.ms, () => targets.setRefusesAll(fault.store, false))
      return
    case 'store_flaky': {
      const { failShare, lostAnswerShare, slowShare, slowMs } = fault
      const trouble = { failShare, lostAnswerShare, slowShare, slowMs }
      Object.assign(links[fault.store].trouble, trouble)
      endAfter(fault.ms, () => links[fault.store].heal())
      return
    }
    case 'sessions_lost':
      locks.endAll()
      return
    case 'disk_full':
      disk.isFull = true
      endAfter(fault.ms, () => {
        disk.isFull = false
      })
      return
    case 'trap':
      targets.traps.arm(fault.trap)
      return
    case 'threads_die':
      targets.setDigestDeaths(fault.share)
      endAfter(fault.ms, () => targets.setDigestDeaths(0))
      return
    case 'clock_jumps':
      wall.offsetMs += fault.ms
      return
    case 'limit_changes':
      targets.changeLimit(fault.projectId, fault.limit)
      return
  }
}
