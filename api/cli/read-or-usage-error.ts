import { type Env, readEnv, type VariableName } from '#platform/env.ts'
import { UsageError } from './usage-error.ts'

/** The values of variables. A UsageError names the invalid ones in one line. */
export function readOrUsageError<Name extends VariableName>(
  env: NodeJS.ProcessEnv,
  names: readonly Name[],
): Env<Name> {
  try {
    return readEnv(names, env)
  } catch (error) {
    throw new UsageError((error as Error).message.replace(/(?<!\s)\s*\n\s*/g, ' '), {
      cause: error,
    })
  }
}
