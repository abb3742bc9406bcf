import type { z } from 'zod'
import { Mistake } from './mistake.ts'

/** A flag's value by the rule of its field; a broken rule is a mistake that names the flag. */
export function check<Shape extends z.ZodType>(
  shape: Shape,
  flag: string,
  value: unknown,
): z.infer<Shape> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Mistake(`${flag} is not valid: ${parsed.error.issues[0]!.message}.`)
}
