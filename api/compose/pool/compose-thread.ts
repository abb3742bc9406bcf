/** Entry module of a Piscina thread that composes emails. */
import { type ComposeOutcome, type ComposeTask, composeTask } from './compose-task.ts'

export default function composeInThread(task: ComposeTask): ComposeOutcome {
  return composeTask(task)
}
