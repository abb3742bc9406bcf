/**
 * Faults that wait for a step: a process dies or is paused at exactly this step, and a call in
 * flight may arrive much later. Random times would rarely hit the few milliseconds between two
 * steps.
 */
import type { SimProcess } from './sim-process.ts'

export const trapSteps = [
  'grant',
  'give back',
  'settle',
  'log write',
  'frame stored',
  'answer',
  'plan',
  'insert of events',
  'insert of outcomes',
  'commit',
  'new generation',
  'placeholder',
  'deletion',
] as const
export type TrapStep = (typeof trapSteps)[number]

export interface Trap {
  readonly step: TrapStep
  /** Acts on this pass of the step, counted over all processes. */
  readonly passes: number
  /**
   * On the way: the step is executed although its process is gone. Done: the process does not get
   * the response.
   */
  readonly when: 'on the way' | 'done'
  readonly act: 'kill' | 'pause'
  readonly pauseMs: number
  /** Additional delay of the call in flight. */
  readonly lateMs: number
  /** Number of messages that the broker loses at the same moment; undefined if it keeps all. */
  readonly forgets: number | undefined
}

export class Traps {
  readonly #armed: { readonly trap: Trap; passesLeft: number }[] = []
  readonly #act: (process: SimProcess, trap: Trap) => void

  constructor(act: (process: SimProcess, trap: Trap) => void) {
    this.#act = act
  }

  arm(trap: Trap): void {
    this.#armed.push({ trap, passesLeft: trap.passes })
  }

  disarm(): void {
    this.#armed.length = 0
  }

  /** Called when a step is on its way. Returns its additional delay in milliseconds. */
  onTheWay(process: SimProcess, what: string): number {
    return this.#pass(process, what, 'on the way')?.lateMs ?? 0
  }

  /** Called when a step is done and its process does not know it yet. */
  done(process: SimProcess, what: string): void {
    this.#pass(process, what, 'done')
  }

  #pass(process: SimProcess, what: string, when: Trap['when']): Trap | undefined {
    if (this.#armed.length === 0 || process.state !== 'running') return undefined
    const step = stepOf(what)
    for (const [index, armed] of this.#armed.entries()) {
      if (armed.trap.step !== step || armed.trap.when !== when) continue
      armed.passesLeft -= 1
      if (armed.passesLeft > 0) continue
      this.#armed.splice(index, 1)
      process.note(`meets the trap at ${step}, ${when}`)
      this.#act(process, armed.trap)
      return armed.trap
    }
    return undefined
  }
}

function stepOf(what: string): TrapStep | undefined {
  if (what.startsWith('insert a placeholder')) return 'placeholder'
  if (what.startsWith('insert p')) {
    return what.endsWith(':events') ? 'insert of events' : 'insert of outcomes'
  }
  if (what.startsWith('begin a generation')) return 'new generation'
  if (what.startsWith('delete')) return 'deletion'
  return trapSteps.find((step) => what.startsWith(step))
}
