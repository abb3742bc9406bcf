/** Other names of statuses that a file has, as the import takes them: `In QA=Started,Shipped=…`. */
import type { SettableStatus } from '../common/idea.ts'

export type StatusMap = Readonly<Record<string, SettableStatus>>

export function statusMapText(map: StatusMap): string {
  return Object.entries(map)
    .filter(([name]) => isMappable(name))
    .map(([name, status]) => `${name}=${status}`)
    .join(',')
}

/** A name with a comma would be read as two; such rows need a change of the file. */
export function isMappable(name: string): boolean {
  return name.trim() !== '' && !name.includes(',')
}

const guesses: readonly (readonly [RegExp, SettableStatus])[] = [
  [/decline|reject|won.?t|not planned|closed/i, 'Declined'],
  [/done|ship|complete|released|live|launched|available/i, 'Completed'],
  [/progress|start|develop|building|qa|test|beta/i, 'Started'],
  [/plan|next|roadmap|accepted|approved|soon/i, 'Planned'],
]

/** A proposal that the person checks before anything is stored. */
export function guessStatus(name: string): SettableStatus {
  return guesses.find(([pattern]) => pattern.test(name))?.[1] ?? 'Open'
}
