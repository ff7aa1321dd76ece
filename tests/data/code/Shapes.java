package org.example.shapes;

import java.util.List;
import static java.lang.Math.*;

/**
 * A shape.
 * Of some kind.
 */
@Deprecated
public abstract class Shape<T> extends Base implements Comparable<Shape<T>> {
    public static final int LIMIT = 100;
    private int width, height = 2;

    static { System.out.println(); }

    protected Shape(int width) { this.width = width; }

    @Override
    public int compareTo(Shape<T> other) {
        class Local { int x; }
        return 0;
    }

    // Bigger.
    public abstract void grow(int by);
    public void grow(double by) throws Exception { int local = 1; }

    enum Color {
        RED, GREEN { int code() { return 2; } };
        private int shade;
        int code() { return 1; }
    }

    interface Visitor<R> {
        int DEPTH = 3;
        R visit(Shape<?> shape);
        default void done() { }
    }
}

record Point(int x, int y) {
    Point { if (x < 0) throw new IllegalArgumentException(); }
    static Point origin() { return new Point(0, 0); }
}

@interface Unit {
    String value() default "px";
}
