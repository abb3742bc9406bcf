/** Commands that belong to no resource, such as `setup`. */
import type { AnyVerbPlan } from './command.ts'
import { setupCommand } from './commands/accounts/setup-command.ts'
import { doctorCommand } from './commands/doctor-command.ts'
import { reconcileCommand } from './commands/operations/reconcile-command.ts'
import { upgradeCommand } from './commands/upgrade-command.ts'

/** `--help` lists them before the resources. */
export const firstCommands: readonly AnyVerbPlan[] = [setupCommand, reconcileCommand]
/** `--help` lists them after the resources. */
export const checkCommands: readonly AnyVerbPlan[] = [doctorCommand, upgradeCommand]
