/**
 * Total number of emails that a new sender may have sent after a given time: 200 on the first day,
 * twice as many each day up to 100,000, then 50 % more each day, and 25 % from 400,000. Mailbox
 * providers trust senders that grow slowly.
 */
const firstDay = 200
const dayMs = 86_400_000
const daysMax = 60

export function warmUpTotal(sinceStartMs: number): number {
  const days = Math.min(daysMax, Math.floor(Math.max(0, sinceStartMs) / dayMs))
  let today = firstDay
  let total = today
  for (let day = 0; day < days; day += 1) {
    today = Math.floor(today * growthFrom(today))
    total += today
  }
  return total
}

function growthFrom(today: number): number {
  if (today < 100_000) return 2
  return today < 400_000 ? 1.5 : 1.25
}
