/**
 * Long work on the thread that answers all requests, in slices: between two of them the event loop does what waits. A single step
 * (a row, a record, a piece of text) must be short itself.
 */
const sliceMsMax = 10

export class Slices {
  #since = performance.now()

  /** Call after each step. Waits for other work when the slice is used up, and for nothing otherwise. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < sliceMsMax) return
    await new Promise(setImmediate)
    this.#since = performance.now()
  }
}

/** `items` one after another; what the caller does with each is a step. */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  const slices = new Slices()
  for (const item of items) {
    yield item
    await slices.next()
  }
}

/** As `items.map(change)`; each change is a step. */
export async function mapInSlices<Item, Changed>(
  items: Iterable<Item>,
  change: (item: Item, index: number) => Changed,
): Promise<Changed[]> {
  const changed: Changed[] = []
  for await (const item of inSlices(items)) changed.push(change(item, changed.length))
  return changed
}
