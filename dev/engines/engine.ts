import type { ProcessPlan } from '../processes/process-plan.ts'

/** One embedded engine: how to run it, and the URL under which the product reaches it. */
export interface Engine {
  readonly plan: ProcessPlan
  readonly url: string
  /** Folders that could not be created inside the data folder. */
  readonly outsideFolders: readonly string[]
}

/** Reports a step that takes long to the person at the terminal. */
export type Progress = (sentence: string) => void

/** An error that the user can fix. Its message is shown without a stack. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}
