/**
 * Plans which stream another node of the NATS cluster should lead, so that no node leads two
 * streams more than another.
 */
export interface StreamLeadership {
  readonly stream: string
  readonly leader: string
  /** Up-to-date replicas of the stream, without the leader. */
  readonly followers: readonly string[]
}

export interface LeaderMove {
  readonly stream: string
  readonly to: string
}

/** Plans one move at a time, because a stream refuses messages while its leader changes. */
export function planLeaderMove(streams: readonly StreamLeadership[]): LeaderMove | undefined {
  const led = new Map<string, number>()
  for (const { leader, followers } of streams) {
    for (const node of [leader, ...followers]) led.set(node, led.get(node) ?? 0)
    led.set(leader, (led.get(leader) ?? 0) + 1)
  }
  let best: { move: LeaderMove; gain: number } | undefined
  for (const { stream, leader, followers } of streams) {
    for (const to of followers) {
      const gain = (led.get(leader) ?? 0) - (led.get(to) ?? 0)
      if (gain >= 2 && gain > (best?.gain ?? 0)) best = { move: { stream, to }, gain }
    }
  }
  return best?.move
}
