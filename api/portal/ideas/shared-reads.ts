/**
 * One answer of the store for all who ask the same at the same time. Who comes while an answer is being made does not get that one,
 * which may be older than something they know of (their own vote, say), but the next, which begins when it is done. So nobody ever
 * sees a state from before they asked, and however many ask, the store is asked once at a time for each question.
 */
export class SharedReads<Answer> {
  readonly #running = new Map<string, Turn<Answer>>()

  read(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#running.get(question)
    if (turn === undefined) return this.#begin(question, ask)
    turn.next ??= turn.done.then(() => this.#begin(question, ask))
    return turn.next
  }

  #begin(question: string, ask: () => Promise<Answer>): Promise<Answer> {
    const answer = ask()
    const turn: Turn<Answer> = {
      next: undefined,
      done: answer.then(
        () => undefined,
        () => undefined,
      ),
    }
    this.#running.set(question, turn)
    // Added before anybody can wait for the turn, so the question is free again, or taken by the next turn, when they go on.
    void turn.done.then(() => {
      if (turn.next === undefined) this.#running.delete(question)
    })
    return answer
  }
}

interface Turn<Answer> {
  /** Resolves also when the answer was an error. */
  readonly done: Promise<void>
  next: Promise<Answer> | undefined
}
