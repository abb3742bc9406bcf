import { CodedError } from '#schemas/error-codes.ts'

/** Undefined while a store is away, for facts that a reply can do without. */
export async function unlessAway<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof CodedError && error.code === 'unavailable') return undefined
    throw error
  }
}
