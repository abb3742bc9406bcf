import type { ProcessPlan } from '../processes/managed-process.ts'

/** One embedded engine: what to run, and how the rest of the product reaches it. */
export interface Engine {
  readonly plan: ProcessPlan
  readonly url: string
  /** Folders that had to lie outside the data folder. */
  readonly outsideFolders: readonly string[]
}

/** Tells the person in front of the terminal what takes long. */
export type Progress = (sentence: string) => void

/** The user can mend this: it is shown as its sentence, without a stack. */
export class SetupError extends Error {
  override readonly name = 'SetupError'
}
