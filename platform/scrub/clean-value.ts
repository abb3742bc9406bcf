/**
 * A part of an event that was searched before, by the same rules, and holds nothing to remove: the
 * walk through the event leaves it out.
 */
export abstract class CleanValue {
  /**
   * The part as a new object of the event's own, for a rule about a name above it: the value itself
   * may be shared with other events.
   */
  abstract open(): object
}
