import type { z } from 'zod'
import { checkValue } from '../http/validation/validation-rules.ts'
import { UsageError } from './usage-error.ts'

/** Parses the value of a flag with the schema of its field. A UsageError names the flag. */
export function check<Shape extends z.ZodType>(
  shape: Shape,
  flag: string,
  value: unknown,
): z.infer<Shape> {
  const parsed = checkValue(shape, value, flag)
  if (parsed.success) return parsed.data
  throw new UsageError(`${flag} is not valid: ${parsed.errors[0].rule}.`)
}
