const { DatabaseSync } = require("node:sqlite")

/** Node's SQLite with the two methods of better-sqlite3 it does not have, as mem0 calls them. */
class Database extends DatabaseSync {
  /** Runs a statement such as "journal_mode = WAL". */
  pragma(text) {
    return this.prepare(`pragma ${text}`).all()
  }

  /** A function that does all its work or none of it. */
  transaction(work) {
    return (...args) => {
      this.exec("begin")
      try {
        const result = work(...args)
        this.exec("commit")
        return result
      } catch (error) {
        this.exec("rollback")
        throw error
      }
    }
  }
}

module.exports = Database
