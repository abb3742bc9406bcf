/** An hour with at most so many events is never too much. */
export const hourCountMin = 50
