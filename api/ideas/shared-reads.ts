/** Of one question: while one answer is being sent, the next is made. */
const atOnceMax = 2

/**
 * One answer of the store for all who ask the same at the same time. Who comes while answers are being made does not get one of those,
 * which may be older than something they know of (their own vote, say), but the next, which begins when one is done. So nobody ever
 * sees a state from before they asked, and however many ask, the store is asked two times at a time for each question.
 */
export class SharedReads<Answer> {
  readonly #questions = new Map<string, Turns<Answer>>()

  read(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const turns = this.#questions.get(question) ?? { running: new Set(), next: undefined }
    this.#questions.set(question, turns)
    if (turns.running.size < atOnceMax) return this.#begin(question, turns, ask)
    turns.next ??= Promise.race(turns.running).then(() => {
      turns.next = undefined
      return this.#begin(question, turns, ask)
    })
    return turns.next
  }

  #begin(question: string, turns: Turns<Answer>, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = ask()
    const end = () => {
      turns.running.delete(done)
      if (turns.running.size === 0 && turns.next === undefined) this.#questions.delete(question)
    }
    const done: Promise<void> = answer.then(end, end)
    turns.running.add(done)
    return answer
  }
}

interface Turns<Answer> {
  /** Each resolves when its answer is there, also when that is an error. */
  readonly running: Set<Promise<void>>
  next: Promise<Answer> | undefined
}
