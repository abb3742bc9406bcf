import type { z } from 'zod'
import { checkValue } from '../http/validation/validation-rules.ts'
import { UsageError } from './usage-error.ts'

/** A flag's value by the rule of its field; a broken rule is a mistake that names the flag. */
export function check<Shape extends z.ZodType>(
  shape: Shape,
  flag: string,
  value: unknown,
): z.infer<Shape> {
  const parsed = checkValue(shape, value, flag)
  if (parsed.success) return parsed.data
  throw new UsageError(`${flag} is not valid: ${parsed.errors[0].rule}.`)
}
