import { explainUpgrade, runUpgradeCheck } from '../../upgrade/run-upgrade-check.ts'
import type { BareVerbPlan } from '../command.ts'
import { printReport } from '../report.ts'

export const upgradeCommand: BareVerbPlan = {
  verb: 'upgrade',
  summary: 'Check whether an installation is ready for this version',
  flags: { '--check': 'look at the installation; change nothing' },
  runBare: async (run) =>
    printReport(
      run,
      run.flags.check === true ? await runUpgradeCheck(run.env) : await explainUpgrade(),
    ),
}
