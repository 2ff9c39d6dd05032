import type { Queryable } from '#platform/postgres/database.ts'
import { takeRoom } from '#platform/postgres/disk-room.store.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'

// Whether the disk of the database has room. A database with a full disk answers queries, so only a statement
// that writes finds out. After that it is tried out at each look until there is room again.
export class DiskRoom {
  #isFull = false

  noteFull(): void {
    this.#isFull = true
  }

  async hasRoom(db: Queryable): Promise<boolean> {
    if (!this.#isFull) return true
    try {
      await takeRoom(db)
      this.#isFull = false
    } catch (error) {
      // A user without the right to make temporary tables cannot try it out.
      this.#isFull = isUnreachable(error)
    }
    return !this.#isFull
  }
}
