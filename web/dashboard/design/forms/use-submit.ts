import { useState } from 'preact/hooks'
import { asProblem, type Problem } from '../../http/problem.ts'

export interface Submit {
  readonly isBusy: boolean
  /** What the server answered; fields name their rule with `ruleOf`. */
  readonly problem: Error | undefined
  /** The problem as a box above the form, unless every detail is shown at its field. */
  readonly unplaced: (fields: readonly string[]) => Error | undefined
  readonly ruleOf: (field: string) => string | undefined
  readonly onSubmit: (event: Event) => void
  /** Removes the problem, which was about values that are gone. */
  readonly clear: () => void
}

/** A form: one request at a time, and its errors. The typed values stay when it fails. */
export function useSubmit(send: () => Promise<unknown>): Submit {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const run = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await send()
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  const known: Problem | undefined = asProblem(problem)
  return {
    isBusy,
    problem,
    unplaced: (fields) => {
      const details = known?.details ?? []
      const isPlaced = details.length > 0 && details.every(({ field }) => fields.includes(field))
      return isPlaced ? undefined : problem
    },
    ruleOf: (field) => known?.ruleOf(field),
    onSubmit: (event) => {
      event.preventDefault()
      if (!isBusy) void run()
    },
    clear: () => setProblem(undefined),
  }
}
