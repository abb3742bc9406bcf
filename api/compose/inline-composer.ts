import { Composer } from './composer.ts'
import { composeTask } from './pool/compose-task.ts'

/** Composes in the calling thread, for tests and for what never composes. */
export function inlineComposer(): Composer {
  return new Composer(async (task) => composeTask(task))
}
