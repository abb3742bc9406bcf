import { runDoctor } from '../../doctor/run-doctor.ts'
import type { BareVerbPlan } from '../command.ts'
import { printReport } from '../report.ts'

export const doctorCommand: BareVerbPlan = {
  verb: 'doctor',
  summary: 'Check settings, stores, DNS, disks and clocks, and say what to fix',
  runBare: async (run) => printReport(run, await runDoctor(run.env)),
}
