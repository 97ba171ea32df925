import com.sun.source.util.JavacTask;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** What the parser of the Java compiler says. */
class JavaParser {
    public static void main(String[] arguments) throws Exception {
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String path; (path = input.readLine()) != null; ) {
            System.out.println(check(Path.of(path)).replace('\n', ' '));
        }
    }

    static String check(Path path) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var found = new DiagnosticCollector<JavaFileObject>();
        try (var files = compiler.getStandardFileManager(found, null, null)) {
            var task = (JavacTask) compiler.getTask(new StringWriter(), files, found, List.of("-proc:none"),
                null, files.getJavaFileObjects(path));
            task.parse();
        }
        for (var diagnostic : found.getDiagnostics()) {
            if (diagnostic.getKind() == Diagnostic.Kind.ERROR) {
                return diagnostic.getLineNumber() + "\t" + diagnostic.getMessage(null);
            }
        }
        return "ok";
    }
}
