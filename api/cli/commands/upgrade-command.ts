import { explainUpgrade, runUpgradeCheck } from '../../upgrade/run-upgrade-check.ts'
import type { PlainCommand } from '../plain-command.ts'

export const upgradeCommand: PlainCommand = {
  name: 'upgrade',
  summary: 'Check whether an installation is ready for this version',
  flags: [{ name: 'check', summary: 'look at the installation; change nothing' }],
  run: async ({ env }, given) => (given.has('check') ? runUpgradeCheck(env) : explainUpgrade()),
}
