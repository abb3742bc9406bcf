/** Concurrent queries for one question: while one reply is sent, the next is computed. */
const atOnceMax = 2

/**
 * Shares one query of the store between requests for the same page. A request that arrives while
 * queries run waits for the next one, which starts when one of them ends: a running query may be
 * older than something that the client knows, such as its own vote. So nobody reads a state from
 * before the request, and at most `atOnceMax` queries run for each question.
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
  /** Each resolves when its query ends, with an error too. */
  readonly running: Set<Promise<void>>
  next: Promise<Answer> | undefined
}
