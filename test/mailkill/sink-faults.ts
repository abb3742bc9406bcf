/**
 * Chooses which emails meet a fault, in which phase, and which fault. The choice is a hash of seed,
 * phase, recipient and attempt, so a seed repeats it.
 */
import { createHash } from 'node:crypto'
import type { SinkFault, SinkPhase } from './smtp-sink.ts'

const perMille: Readonly<Record<SinkPhase, { readonly cut: number; readonly defer: number }>> = {
  connect: { cut: 20, defer: 20 },
  hello: { cut: 20, defer: 0 },
  mail: { cut: 4, defer: 4 },
  rcpt: { cut: 6, defer: 10 },
  data: { cut: 6, defer: 4 },
  body: { cut: 8, defer: 0 },
  dot: { cut: 6, defer: 8 },
}
const deferrals: Readonly<Partial<Record<SinkPhase, string>>> = {
  connect: '421 4.3.2 come back later',
  mail: '451 4.3.0 not now',
  rcpt: '450 4.7.1 greylisted, try again later',
  data: '451 4.3.0 not now',
  dot: '452 4.3.1 no room now',
}

export class SinkFaults {
  readonly #seed: number
  readonly #asked = new Map<string, number>()
  /** Emails that were accepted without a reply. */
  withheldAnswers = 0

  constructor(seed: number) {
    this.#seed = seed
  }

  at(phase: SinkPhase, to: string): SinkFault | undefined {
    const name = `${phase} ${to}`
    const times = (this.#asked.get(name) ?? 0) + 1
    this.#asked.set(name, times)
    const digest = createHash('md5').update(`${this.#seed} ${times} ${name}`).digest()
    const draw = digest.readUInt32BE(0) % 1000
    const { cut, defer } = perMille[phase]
    if (draw < cut) {
      if (phase === 'dot' || phase === 'body') this.withheldAnswers += 1
      return { kind: 'cut' }
    }
    const reply = deferrals[phase]
    return reply !== undefined && draw < cut + defer ? { kind: 'reply', reply } : undefined
  }
}
