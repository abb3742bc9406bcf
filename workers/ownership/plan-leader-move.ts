/** Which stream should be led by another node of the broker's cluster, so that no node leads two more than another. */
export interface StreamLeadership {
  readonly stream: string
  readonly leader: string
  /** Nodes that hold the stream and are up to date, without the leader. */
  readonly followers: readonly string[]
}

export interface LeaderMove {
  readonly stream: string
  readonly to: string
}

/** One at a time: a stream takes nothing while its leader changes. */
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
