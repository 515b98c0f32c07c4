import java.nio.file.Path;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/**
 * Runs Neo4j Community over the folder given, set up by the neo4j.conf in it, until it is told to end. With a query as
 * second argument it runs that and ends: a rehearsal, from which Java learns what to load at the next start.
 */
class Neo4jServer {
    public static void main(String[] arguments) throws InterruptedException {
        Path home = Path.of(arguments[0]);
        DatabaseManagementService server =
                new DatabaseManagementServiceBuilder(home).loadPropertiesFromFile(home.resolve("neo4j.conf")).build();
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown));
        if (arguments.length > 1) {
            server.database("neo4j").executeTransactionally(arguments[1]);
            System.exit(0);
        }
        Thread.currentThread().join();
    }
}
