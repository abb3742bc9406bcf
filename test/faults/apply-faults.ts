/** Carries out a schedule on the running processes. A fault that cannot be carried out, because another came first, is told and passed over. */
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { formatFailpoints } from '#platform/failpoint.ts'
import { waitUntil } from '../wait-until.ts'
import type { FaultStack } from './fault-stack.ts'
import { forgetMessages, loseStream, rewindBroker } from './lose-messages.ts'
import { describeFault, type Fault } from './plan-faults.ts'
import { isStopped } from './process-tree.ts'

/** What became of the faults that did not go as planned, one sentence each. */
export async function applyFaults(stack: FaultStack, faults: readonly Fault[]): Promise<string[]> {
  const notes: string[] = []
  const startedAtMs = systemClock.monotonicMs()
  await Promise.all(
    faults.map(async (fault) => {
      await sleep(Math.max(0, fault.atMs - (systemClock.monotonicMs() - startedAtMs)))
      try {
        await applyFault(stack, fault)
      } catch (error) {
        const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error)
        notes.push(`${describeFault(fault).trim()}: ${reason}`)
      }
    }),
  )
  return notes
}

async function applyFault(stack: FaultStack, fault: Fault): Promise<void> {
  switch (fault.kind) {
    case 'kill':
      await stack.kill(fault.target)
      await sleep(fault.downMs)
      await stack.start(fault.target)
      break
    case 'pause':
      stack.signal(fault.target, 'SIGSTOP')
      await sleep(fault.forMs)
      stack.signal(fault.target, 'SIGCONT')
      break
    case 'restart':
      await stack.restart(fault.target)
      break
    case 'failpoint':
      await applyFailpoint(stack, fault)
      break
    case 'link': {
      const link = stack.link(fault.from, fault.to)
      link.trouble(fault.trouble)
      await sleep(fault.forMs)
      link.heal()
      break
    }
    case 'forget':
      await forgetMessages(stack, fault.messages)
      break
    case 'rewind':
      await rewindBroker(stack, fault.forMs)
      break
    case 'lose_stream':
      await loseStream(stack)
      break
  }
}

const lookEveryMs = 25
/** By then the load has ended, and what has not been reached will not be. */
const reachMsMax = 5_000

/** Starts the process with its failpoint and waits for it to act, while it starts or later. */
async function applyFailpoint(
  stack: FaultStack,
  { target, point, forMs }: Extract<Fault, { kind: 'failpoint' }>,
): Promise<void> {
  await stack.kill(target)
  // What a failpoint interrupts may be the start itself.
  const starting = stack.start(target, formatFailpoints([point])).catch(() => undefined)
  const pid = await waitUntil(`${target} to be started`, async () => stack.pidOf(target))
  for (let waitedMs = 0; waitedMs < reachMsMax; waitedMs += lookEveryMs) {
    await sleep(lookEveryMs)
    const now = stack.pidOf(target)
    if (now === undefined || now !== pid) {
      await stack.kill(target)
      await sleep(forMs)
      await stack.start(target)
      return
    }
    if (isStopped(now)) {
      await sleep(forMs)
      stack.signal(target, 'SIGCONT')
      await starting
      return
    }
  }
}
