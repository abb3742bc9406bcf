import { runDoctor } from '../../doctor/run-doctor.ts'
import type { PlainCommand } from '../plain-command.ts'

export const doctorCommand: PlainCommand = {
  name: 'doctor',
  summary: 'Check settings, stores, DNS, disks and clocks, and say what to fix',
  run: ({ env }) => runDoctor(env),
}
