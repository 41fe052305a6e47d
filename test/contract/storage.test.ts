import { describeDatabases } from "../../testkit/setup/databases.ts"
import { journalContract, leaseContract } from "./journal.ts"
import { searchContract } from "./search.ts"
import { storageContract } from "./storage.ts"

describeDatabases("Storage", storageContract)
describeDatabases("The journal", journalContract)
describeDatabases("A lease", leaseContract)
describeDatabases("Search", searchContract)
